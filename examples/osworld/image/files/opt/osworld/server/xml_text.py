"""Texts of programs, so that they can be in XML: without the characters that XML cannot have."""
import re

_NOT_ALLOWED = re.compile('[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')
_NOT_IN_NAMES = re.compile(r'[^\w.-]')


def xml_text(text):
    return _NOT_ALLOWED.sub('', text or '')


def xml_name(text):
    """A name of an element or an attribute. Spaces become hyphens, as in `push-button`."""
    name = _NOT_IN_NAMES.sub('-', text.strip())
    return name if re.match(r'[^\W\d]', name) else f'n{name}'
