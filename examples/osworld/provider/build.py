"""Builds the image, and prints its id: `python3 -m provider.build [FOLDER]`, where the folder has another recipe.json."""
import logging
import sys

from .api import Api
from .images import FOLDER, Images, read_recipe

if __name__ == '__main__':
    logging.basicConfig(level=logging.INFO)
    print(Images(Api()).build(read_recipe(sys.argv[1] if len(sys.argv) > 1 else FOLDER))['id'])
