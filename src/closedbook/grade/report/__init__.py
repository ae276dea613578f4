"""Grades as text for a person, HTML, JUnit, JSON and CSV."""
