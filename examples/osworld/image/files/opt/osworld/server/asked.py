"""What was asked for: the fields of a request, each of the type that it must have."""
import os

from flask import request


class Refused(Exception):
    """What is wrong with a request, or why it cannot be done, with the status of the response."""

    def __init__(self, message, status=400):
        super().__init__(message)
        self.status = status


def body():
    """The JSON object of the request."""
    asked = request.get_json(force=True, silent=True)
    if not isinstance(asked, dict):
        raise Refused('The body must be a JSON object.')
    return asked


def form(name):
    """A field of a form, which must be there."""
    value = request.form.get(name)
    if not value:
        raise Refused(f'{name} is required, as a field of a form.')
    return without_null(name, value)


def text(asked, name, default=None):
    """A field that is a text. Without a default it must be there, and not be empty."""
    value = asked.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or not value:
        raise Refused(f'{name} is required, and must be a text.')
    return without_null(name, value)


def flag(asked, name):
    value = asked.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise Refused(f'{name} must be true or false.')
    return value


def number(asked, name, default, most):
    value = asked.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise Refused(f'{name} must be a number from 0 to {most}.')
    return value


def path_of(value):
    """An absolute path, with ~ and variables replaced. What is relative belongs to the home of the user."""
    return os.path.join(os.path.expanduser('~'), os.path.expandvars(os.path.expanduser(value)))


def without_null(name, value):
    if '\0' in value:
        raise Refused(f'{name} must not contain a null character.')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Refused(f'{name} must be valid Unicode.') from None
    return value
