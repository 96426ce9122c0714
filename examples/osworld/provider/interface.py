"""The classes that OSWorld's providers extend, where OSWorld is installed."""
try:
    from desktop_env.providers.base import Provider, VMManager
except ImportError:
    # The provider also works by itself, which its tests and scripts without OSWorld's many dependencies need.
    class Provider:
        def __init__(self, region=None):
            self.region = region

    class VMManager:
        pass


__all__ = ['Provider', 'VMManager']
