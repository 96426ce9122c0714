"""Starts, saves, reverts and stops the sandbox of one environment."""
import logging
import os
import time
import urllib.error
import urllib.request

from .api import Api
from .images import Images
from .interface import Provider
from .live_page import LivePage
from .relay import Relay

logger = logging.getLogger('desktopenv.providers.sandglass')

#: The guest server, Chromium's debugging port, and VLC.
SERVER, CHROMIUM, VLC = 5000, 9222, 8080
#: Opening a file may take this long, and answers only then.
SERVER_WAIT_SECONDS = 1800
START_SECONDS = 600
SCREEN = {'width': 1920, 'height': 1080}
#: The state that OSWorld begins with, which is the image itself.
FIRST_STATE = 'init_state'


class SandglassProvider(Provider):
    def __init__(self, region=None, api=None):
        super().__init__(region)
        self._api = api or Api()
        self._images = Images(self._api)
        #: The image that the next start takes, if that is not the path itself.
        self._state = None
        self._sandbox = None
        self._doors = {}

    def start_emulator(self, path_to_vm, headless=True, os_type=None, *args, **kwargs):
        """Creates the sandbox, and returns when its server answers. It lives for SANDGLASS_LIFE_SECONDS, so that one that nobody
        stops does not stay."""
        if self._sandbox is not None:
            return
        asked = {
            'imageId': self._image_id(self._state or path_to_vm),
            'name': 'osworld',
            'labels': {'benchmark': 'osworld'},
            'screen': SCREEN,
            'maxLifeSeconds': _life_seconds(),
            'wait': 60,
        }
        self._sandbox = self._api.post('/sandboxes/from-image', asked)['sandbox']['id']
        try:
            end = time.monotonic() + START_SECONDS
            self._await_running(end)
            self._open_doors()
            self._await_server(end)
        except BaseException:
            self.stop_emulator(path_to_vm)
            raise

    def get_ip_address(self, path_to_vm):
        """The host and the ports of server, browser, screen and VLC, with colons between them."""
        if not self._doors:
            raise RuntimeError('The sandbox was not started.')
        ports = (self._doors[name].port for name in ('server', 'chromium', 'screen', 'vlc'))
        return ':'.join(['127.0.0.1', *map(str, ports)])

    def save_state(self, path_to_vm, snapshot_name):
        """Saves the disk as an image. Programs are not in it: they start again, as after a power loss."""
        if self._sandbox is None:
            raise RuntimeError('The sandbox was not started.')
        self._images.save(self._sandbox, self._name_of(path_to_vm, snapshot_name))

    def revert_to_snapshot(self, path_to_vm, snapshot_name):
        """Gives up the sandbox; the next start takes the saved state. A new sandbox from an image takes a second or two, and
        nothing of the last task can be left in it."""
        saved = self._images.find(self._name_of(path_to_vm, snapshot_name))
        if saved is None and snapshot_name not in (None, FIRST_STATE):
            raise RuntimeError(f'No state was saved as {snapshot_name}.')
        self.stop_emulator(path_to_vm)
        self._state = saved and saved['id']
        return path_to_vm

    def stop_emulator(self, path_to_vm, region=None, *args, **kwargs):
        doors, self._doors = self._doors, {}
        for door in doors.values():
            door.close()
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            self._api.delete(f'/sandboxes/{sandbox}')

    def _image_id(self, wanted):
        image = self._images.find(wanted)
        if image is None:
            raise RuntimeError(f'There is no image {wanted} that is ready.')
        return image['id']

    def _name_of(self, path_to_vm, snapshot_name):
        return f'{self._image_id(path_to_vm)} {snapshot_name}'

    def _await_running(self, end):
        while (sandbox := self._api.get(f'/sandboxes/{self._sandbox}?wait=30')['sandbox'])['status'] != 'RUNNING':
            if sandbox['status'] != 'PENDING' or time.monotonic() > end:
                raise RuntimeError(f'The sandbox is {sandbox["status"]}: {sandbox.get("reason")}')

    def _open_doors(self):
        self._doors['server'] = self._relay(SERVER, waitSeconds=SERVER_WAIT_SECONDS)
        self._doors['chromium'] = self._relay(CHROMIUM, own_address=True)
        self._doors['vlc'] = self._relay(VLC)
        invited = self._api.post(f'/sandboxes/{self._sandbox}/live/invitations', {'lifetimeSeconds': _life_seconds()})
        self._doors['screen'] = LivePage(invited['url'])

    def _relay(self, port, own_address=False, **options):
        mapping = self._api.post(f'/sandboxes/{self._sandbox}/mappings', {'targetEndpoint': f'127.0.0.1:{port}', **options})
        return Relay(self._api.url, mapping, own_address)

    def _await_server(self, end):
        url = f'http://127.0.0.1:{self._doors["server"].port}/screenshot'
        while True:
            try:
                with urllib.request.urlopen(url, timeout=60) as response:
                    response.read()
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if time.monotonic() > end:
                    raise TimeoutError(f'The server in the sandbox does not answer: {error}') from None
            logger.info('waiting for the server in the sandbox')
            time.sleep(0.5)


def _life_seconds():
    return int(os.environ.get('SANDGLASS_LIFE_SECONDS', 14400))
