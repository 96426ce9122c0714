"""The commands of Android's shell, with its words and its exit codes, as far as this phone has what they are about."""
from commands import am, cmd, dumpsys, getprop, ime, input, monkey, pm, screencap, settings, uiautomator, wm

COMMANDS = {
    module.__name__.split('.')[-1]: module.run
    for module in (am, cmd, dumpsys, getprop, ime, input, monkey, pm, screencap, settings, uiautomator, wm)
}


def run(phone, argv, answer):
    name, *arguments = argv
    COMMANDS[name](phone, arguments, answer)
