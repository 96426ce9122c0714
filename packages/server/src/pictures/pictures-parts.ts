import type { PictureConverter, RawPictures } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { PictureLimits } from './picture-ledger.ts'
import type { PictureMetrics } from './picture-metrics.ts'
import type { PictureStore } from './store.ts'
import type { WaitingOptions } from './waiting-pictures.ts'

/** What pictures are made with. */
export interface PicturesParts {
  readonly store: PictureStore
  readonly nodeId: string
  readonly lifeMs: number
  readonly limits: PictureLimits
  readonly publicUrl: () => string
  readonly metrics: PictureMetrics
  /** Makes other formats of stored pictures, and encodes those that wait in files. */
  readonly converter: PictureConverter & RawPictures
  /** Where it is recorded which pictures wait. Without it, that is known to this process only. */
  readonly waitingPath?: string
  readonly waiting?: WaitingOptions
  readonly log: Logger
  readonly now?: () => number
}
