"""How the phone looks, light or dark, with the text as large as the settings say."""
from gi.repository import Gdk, Gtk

provider = Gtk.CssProvider()

LIGHT = {'ground': '#f6f4ef', 'surface': '#ffffff', 'text': '#22201c', 'faint': '#7a746a', 'line': '#e4dfd5', 'key': '#ffffff', 'board': '#e4dfd5'}
DARK = {'ground': '#191714', 'surface': '#25221e', 'text': '#f2ede4', 'faint': '#a39b8e', 'line': '#38342e', 'key': '#3a362f', 'board': '#201d19'}

CSS = '''
* { font-family: Inter, "Droid Sans Fallback", sans-serif; font-size: %(size)dpx; color: %(text)s; transition: none;
    text-shadow: none; box-shadow: none; -gtk-icon-shadow: none; }
window, stack, viewport, scrolledwindow { background: %(ground)s; }
button, button:hover, button:backdrop { background: none; border: none; border-radius: 24px; padding: 16px 24px; outline: none; }
button:active { background: alpha(%(text)s, 0.12); }
#status { background: #2b2620; padding: 8px 24px; min-height: 40px; }
#status * { color: #f2ede4; font-size: 24px; }
#status #mark { color: #e8b04b; }
#navigation { background: #2b2620; padding: 4px; }
#navigation image { color: #f2ede4; }
#navigation button { min-height: 56px; }
#home stack { background: none; }
#home { background: linear-gradient(to bottom, #c9762f, #e8b04b 55%%, #f3d9a0); }
#grid { padding: 72px 16px; background: none; }
#dots, #app-name { color: #ffffff; }
#app-name { font-size: 24px; }
#dock { padding: 24px 16px; background: alpha(#2b2620, 0.35); }
button.icon { border-radius: 32px; padding: 26px; background: #ffffff; }
button.icon image { -gtk-icon-transform: scale(1.6); color: #ffffff; }
button.icon:active { opacity: 0.7; }
#browser { background: #2f6fb5; } #notes { background: #d99a2b; } #contacts { background: #3c8d5a; } #settings { background: #6b6f76; }
#calculator { background: #b5533c; } #clock { background: #4a4a8f; } #gallery { background: #8a4a8f; } #files { background: #2f8f95; }
#dialer { background: #3c8d5a; }
#bar { background: %(surface)s; padding: 12px 16px; border-bottom: 2px solid %(line)s; min-height: 72px; }
#title { font-size: %(large)dpx; font-weight: bold; padding-left: 8px; }
list, row, row:hover { background: %(surface)s; }
row { padding: 24px; border-bottom: 2px solid %(line)s; }
row:active { background: alpha(%(text)s, 0.08); }
#faint { color: %(faint)s; font-size: %(small)dpx; }
#avatar { background: #e8b04b; color: #ffffff; font-weight: bold; border-radius: 40px; min-width: 72px; min-height: 72px; }
#home-time { color: #ffffff; font-size: 120px; font-weight: 300; padding-top: 56px; }
#home-day { color: #ffffff; font-size: 30px; }
#huge { font-size: 96px; font-weight: 300; padding: 48px 24px; }
#form { padding: 24px; }
entry, entry:focus { background: %(surface)s; border: 2px solid %(line)s; border-radius: 16px; padding: 20px; caret-color: #c9762f; min-height: 40px; }
entry:focus { border-color: #c9762f; }
textview, textview text { background: %(ground)s; caret-color: #c9762f; }
textview { padding: 24px; }
button.main { background: #c9762f; } button.main label, button.main image { color: #ffffff; }
button.sum { background: %(surface)s; border-radius: 64px; min-height: 96px; }
button.sum.main { background: #c9762f; }
button.sum label { font-size: 40px; }
switch { background: %(line)s; border: none; border-radius: 32px; min-width: 96px; min-height: 48px; }
switch:checked { background: #c9762f; }
switch slider { background: #ffffff; border: none; border-radius: 32px; min-width: 44px; min-height: 44px; margin: 2px; }
switch image { color: transparent; }
scale trough { background: %(line)s; min-height: 8px; border: none; border-radius: 4px; }
scale highlight { background: #c9762f; min-height: 8px; }
scale slider { background: #c9762f; border: none; min-width: 40px; min-height: 40px; margin: -16px; border-radius: 40px; }
#keyboard { background: %(board)s; padding: 12px 8px; }
button.key { background: %(key)s; border-radius: 12px; padding: 22px 14px; min-width: 20px; }
button.key label { font-size: 30px; }
selection { background: #e8b04b; color: #22201c; }
'''


def apply_style(settings):
    scale = float(settings.get('system', 'font_scale') or 1)
    colours = DARK if settings.get('secure', 'ui_night_mode') == '2' else LIGHT
    sizes = {'size': 28 * scale, 'large': 36 * scale, 'small': 24 * scale}
    Gtk.Settings.get_default().set_property('gtk-application-prefer-dark-theme', colours is DARK)
    provider.load_from_data((CSS % {**colours, **sizes}).encode())
    Gtk.StyleContext.add_provider_for_screen(Gdk.Screen.get_default(), provider, Gtk.STYLE_PROVIDER_PRIORITY_USER)
