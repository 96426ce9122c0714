"""What survives a restart of the phone: each app's files below /data/data, and the settings."""
import json
import os

ROOT = '/data/data'


def folder(package):
    path = os.path.join(ROOT, package, 'files')
    os.makedirs(path, exist_ok=True)
    return path


def load(package, name, default):
    try:
        with open(os.path.join(folder(package), name)) as file:
            return json.load(file)
    except (OSError, ValueError):
        return default


def save(package, name, value):
    path = os.path.join(folder(package), name)
    with open(path + '.part', 'w') as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
    os.replace(path + '.part', path)


class Settings:
    """The three tables of Android's settings."""
    DEFAULTS = {
        'system': {'screen_brightness': '128', 'font_scale': '1.0'},
        'secure': {'ui_night_mode': '1', 'default_input_method': 'com.android.adbkeyboard/.AdbIME'},
        'global': {'wifi_on': '1', 'bluetooth_on': '0', 'airplane_mode_on': '0', 'device_name': 'Sandglass Simulator'},
    }

    def __init__(self):
        saved = load('com.sandglass.settings', 'settings.json', {})
        self.tables = {name: {**table, **saved.get(name, {})} for name, table in self.DEFAULTS.items()}
        self.on_change = lambda: None

    def get(self, table, key):
        return self.tables[table].get(key)

    def put(self, table, key, value):
        self.tables[table][key] = value
        save('com.sandglass.settings', 'settings.json', self.tables)
        self.on_change()
