from truerate.core.process.display import printable


def test_signs_that_steer_a_terminal_are_told_by_their_codes():
    assert printable("https://ünï.example/\x1b[31m\u202ea\nb") == r"https://ünï.example/\x1b[31m\u202ea\nb"
