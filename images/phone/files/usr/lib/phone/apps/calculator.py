"""A calculator that knows that times goes before plus."""
from fractions import Fraction

from gi.repository import Gtk

from apps.app import App
from widgets import bar, button, column, label

KEYS = ('C', '(', ')', '÷', '7', '8', '9', '×', '4', '5', '6', '−', '1', '2', '3', '+', '0', '.', '⌫', '=')


class Calculator(App):
    package, label, icon = 'com.sandglass.calculator', 'Calculator', 'accessories-calculator-symbolic'

    def first(self):
        self._shown = label('0', 'huge')
        self._shown.set_xalign(1)
        grid = Gtk.Grid(column_homogeneous=True, row_homogeneous=True, column_spacing=16, row_spacing=16, name='form')
        for index, key in enumerate(KEYS):
            made = button(key, on_click=lambda key=key: self._press(key))
            for style in ('sum', 'main') if key == '=' else ('sum',):
                made.get_style_context().add_class(style)
            grid.attach(made, index % 4, index // 4, 1, 1)
        page = column(bar('Calculator'), self._shown)
        page.pack_start(grid, True, True, 0)
        return page

    def _press(self, key):
        text = self._shown.get_text()
        if key == 'C' or (key == '⌫' and len(text) == 1):
            text = '0'
        elif key == '⌫':
            text = text[:-1]
        elif key == '=':
            text = calculate(text)
        else:
            text = key if text in ('0', 'Error') and (key.isdigit() or key == '(') else text + key
        self._shown.set_text(text)


def calculate(text):
    try:
        rest = list(text)
        value = _sum(rest)
        if rest:
            return 'Error'
        return str(value.numerator) if value.denominator == 1 else f'{float(value):.10g}'
    except (ArithmeticError, ValueError, IndexError):
        return 'Error'


def _sum(rest):
    value = _product(rest)
    while rest and rest[0] in '+−':
        sign = rest.pop(0)
        value = value + _product(rest) if sign == '+' else value - _product(rest)
    return value


def _product(rest):
    value = _number(rest)
    while rest and rest[0] in '×÷':
        sign = rest.pop(0)
        value = value * _number(rest) if sign == '×' else value / _number(rest)
    return value


def _number(rest):
    if rest[0] == '−':
        rest.pop(0)
        return -_number(rest)
    if rest[0] == '(':
        rest.pop(0)
        value = _sum(rest)
        if rest.pop(0) != ')':
            raise ValueError('no bracket')
        return value
    digits = ''
    while rest and (rest[0].isdigit() or rest[0] == '.'):
        digits += rest.pop(0)
    return Fraction(digits)
