import type { Damage, Rect } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'
import { portionBytes } from '../zrle/inflater.ts'
import { readTile } from '../zrle/read-tile.ts'
import { tilesOf } from '../zrle/tile.ts'
import { TileSource } from '../zrle/tile-source.ts'

/**
 * RFC 6143, 7.7.6. Tiles are drawn as they arrive, so that at most one portion of the stream is held inflated. Data
 * beyond the rectangle is an error.
 */
export function* readZrle(rect: Rect, { inbox, inflater, framebuffer, budget }: Session): Step<Damage> {
  let left = (yield* inbox.fields(4)).getUint32(0)
  function* inflateMore(): Step<void> {
    if (left === 0) throw new RfbError('MALFORMED', 'the ZRLE data of a rectangle ends before its last tile')
    const portion = yield* inbox.take(Math.min(left, portionBytes))
    left -= portion.length
    const before = inflater.output.length
    inflater.push(portion)
    budget.inflated(inflater.output.length - before)
  }

  for (const tile of tilesOf(rect, framebuffer)) {
    let source = new TileSource(inflater.output)
    for (readTile(source, tile); source.short; readTile(source, tile)) {
      yield* inflateMore()
      source = new TileSource(inflater.output)
    }
    inflater.consume(source.used)
  }
  while (left > 0 && inflater.output.length === 0) yield* inflateMore()
  if (inflater.output.length > 0)
    throw new RfbError('MALFORMED', 'the ZRLE data of a rectangle goes on after its last tile')
  return rect
}
