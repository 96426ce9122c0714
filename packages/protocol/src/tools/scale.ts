export interface Point {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** Converts between pixels of a screen and pixels of the scaled picture that a model sees. */
export class Scale {
  readonly screen: Size
  readonly picture: Size

  constructor(screen: Size, picture: Size) {
    this.screen = screen
    this.picture = picture
  }

  /** Returns the screen pixel in the middle of a picture pixel, or undefined if the point is outside the picture. */
  toScreen({ x, y }: Point): Point | undefined {
    const { width, height } = this.picture
    const isInside = x >= 0 && y >= 0 && x < width && y < height
    return isInside ? map({ x, y }, this.picture, this.screen) : undefined
  }

  /** Returns the picture pixel that contains a screen pixel. It is the inverse of `toScreen`. */
  toPicture(point: Point): Point {
    return map(point, this.screen, this.picture)
  }
}

function map({ x, y }: Point, from: Size, to: Size): Point {
  return { x: mapCoordinate(x, from.width, to.width), y: mapCoordinate(y, from.height, to.height) }
}

/** Multiplies before it divides, because a product of whole numbers is exact and a scale factor would be rounded. */
function mapCoordinate(pixel: number, from: number, to: number): number {
  const middle = (2 * Math.floor(pixel) + 1) * to
  return Math.min(Math.floor(middle / (2 * from)), to - 1)
}
