"""The floor: compiled functions on plain arrays. They check nothing and allocate little; what they
are given has passed the doors above. Each has a slow, obvious twin in the tests."""
