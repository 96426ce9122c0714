"""cmd package query-activities | resolve-activity | list packages; cmd input …; cmd clipboard get | set TEXT"""
from gi.repository import Gdk, Gtk

from commands import input, pm

HEAD = 'priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true'


def run(phone, arguments, answer):
    if arguments[:1] == ['input']:
        input.run(phone, arguments[1:], answer)
    elif arguments[:2] == ['package', 'query-activities']:
        answer(activities(phone, '--brief' in arguments))
    elif arguments[:2] == ['package', 'resolve-activity']:
        package = arguments[-1]
        found = package in phone.apps
        answer(f'{HEAD}\n{package}/.MainActivity\n' if found else 'No activity found\n')
    elif arguments[:1] == ['package']:
        pm.run(phone, arguments[1:], answer)
    elif arguments[:2] == ['clipboard', 'get']:
        answer((Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text() or '') + '\n')
    elif arguments[:2] == ['clipboard', 'set']:
        Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).set_text(' '.join(arguments[2:]), -1)
        answer()
    else:
        answer(err=f"cmd: Can't find service: {arguments[0] if arguments else ''}\n", code=20)


def activities(phone, is_brief):
    lines = [f'{len(phone.apps)} activities found:']
    for number, app in enumerate(phone.apps.values()):
        lines += [f'  Activity #{number}:', f'    {HEAD}']
        if is_brief:
            lines.append(f'    {app.package}/.MainActivity')
        else:
            lines += [
                '    ActivityInfo:',
                f'      name={app.package}.MainActivity',
                f'      packageName={app.package}',
                f'      labelRes=0x0 nonLocalizedLabel={app.label} icon=0x0 banner=0x0',
            ]
    return '\n'.join(lines) + '\n'
