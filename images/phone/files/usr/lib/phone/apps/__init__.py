"""Every app, those that are always at hand first."""
from apps.browser import Browser
from apps.calculator import Calculator
from apps.clock import Clock
from apps.contacts import Contacts
from apps.files import Files
from apps.gallery import Gallery
from apps.notes import Notes
from apps.settings import SettingsApp


def all_apps():
    return [Browser, Notes, Contacts, SettingsApp, Calculator, Clock, Files, Gallery]
