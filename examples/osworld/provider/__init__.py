"""OSWorld's desktops on Sandglass: a Provider and a VMManager for desktop_env/providers/sandglass."""
from .manager import SandglassVMManager
from .provider import SandglassProvider

__all__ = ['SandglassProvider', 'SandglassVMManager']
