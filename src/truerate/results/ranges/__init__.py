"""The range behind a rate: every rate of a committed board under each rule of counting that its rows hold."""
