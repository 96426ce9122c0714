"""Images of the organization: found by name or id, and built from the recipe."""
import json
import logging
import os
import time

from .api import Api

logger = logging.getLogger('desktopenv.providers.sandglass')

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'image')
READY_SECONDS = 600


class Images:
    def __init__(self, api: Api):
        self._api = api

    def find(self, wanted):
        """The newest image that is ready and has this id or name, or None."""
        images = self._api.get('/machine-images?scope=all')['images']
        named = [image for image in images if wanted in (image['id'], image['name']) and image['status'] == 'READY']
        return max(named, key=lambda image: image['createdAt'], default=None)

    def build(self, recipe=None):
        """Builds an image, which takes minutes the first time. Steps that were built before are taken from the service."""
        for event in self._api.events('/machine-images/build', recipe or read_recipe()):
            if event['event'] == 'step':
                logger.info('step %d of the image%s', event['step'], ' (from an earlier build)' if event['cached'] else '')
            elif event['event'] == 'failed':
                raise RuntimeError(f'The image cannot be built: {event["reason"]} {event.get("output", "")}')
            elif event['event'] == 'finished':
                return event['image']
        raise RuntimeError('The service ended the build of the image.')

    def save(self, sandbox_id, name):
        """Saves the disk of a sandbox as an image, in the place of an earlier one with this name."""
        earlier = self.find(name)
        image = self._api.post('/machine-images', {'sandboxId': sandbox_id, 'name': name})
        end = time.monotonic() + READY_SECONDS
        while image['status'] == 'CREATING':
            if time.monotonic() > end:
                raise TimeoutError(f'The image {name} is not ready.')
            time.sleep(1)
            image = next(one for one in self._api.get('/machine-images')['images'] if one['id'] == image['id'])
        if image['status'] != 'READY':
            raise RuntimeError(f'The image {name} could not be saved: {image.get("reason")}')
        if earlier is not None:
            self._api.delete(f'/machine-images/{earlier["id"]}')
        return image


def read_recipe(folder=FOLDER):
    """The recipe, with a step for each file of the folders that it names."""
    with open(os.path.join(folder, 'recipe.json')) as file:
        recipe = json.load(file)
    steps = []
    for step in recipe['steps']:
        steps += _file_steps(os.path.join(folder, step['files'])) if 'files' in step else [step]
    return {**recipe, 'steps': steps}


def _file_steps(root):
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names)
    for path in paths:
        if '__pycache__' not in path:
            with open(path) as file:
                yield {'file': {'path': '/' + os.path.relpath(path, root), 'content': file.read()}}
