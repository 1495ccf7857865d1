"""Files of answers as they lie, in any plain form or as other tools write them: one table, a row per answer."""
