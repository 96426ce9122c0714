import type { Point, ScreenSize } from '@sandglass/machines/contract'
import { fitted } from '../../pictures/fitted.ts'

/** Between the pixels of a screen and those of the picture of it that a model sees. */
export class Scale {
  readonly screen: ScreenSize
  readonly picture: ScreenSize

  constructor(screen: ScreenSize, longestSide: number) {
    this.screen = screen
    this.picture = fitted(screen, longestSide)
  }

  /** The pixel of the screen that lies in the middle of a pixel of the picture; undefined outside of the picture. */
  toScreen({ x, y }: Point): Point | undefined {
    const { width, height } = this.picture
    const isInside = x >= 0 && y >= 0 && x < width && y < height
    return isInside ? map({ x, y }, this.picture, this.screen) : undefined
  }

  /** The pixel of the picture in which a pixel of the screen lies: `toScreen` of a pixel lies in that pixel. */
  toPicture(point: Point): Point {
    return map(point, this.screen, this.picture)
  }
}

function map({ x, y }: Point, from: ScreenSize, to: ScreenSize): Point {
  return { x: mapOne(x, from.width, to.width), y: mapOne(y, from.height, to.height) }
}

/** In whole numbers as far as it goes: a product of pixels is exact, where a factor would be rounded. */
function mapOne(pixel: number, from: number, to: number): number {
  const middle = (2 * Math.floor(pixel) + 1) * to
  return Math.min(Math.floor(middle / (2 * from)), to - 1)
}
