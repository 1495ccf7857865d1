"""The first page: what each kind of task says of models, and the list of boards."""
