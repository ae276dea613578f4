"""What holds for every test."""

from hypothesis import HealthCheck, settings

# The same examples in every run, so that a run tells of the change it is made for; a busy machine
# is no failure. `pytest --hypothesis-profile=explore` looks for examples that nobody has seen.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _PATIENT, derandomize=True)
settings.register_profile("explore", _PATIENT)
settings.load_profile("same")
