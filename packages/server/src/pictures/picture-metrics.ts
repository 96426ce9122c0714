import type { EncodedPicture, PictureFormat } from '@sandglass/workers/contract'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** The metrics of pictures. */
export class PictureMetrics {
  readonly #seconds: Histogram<'format'>
  readonly #bytes: Counter<'format'>
  readonly #pictures: Counter<'outcome'>
  readonly #pending: Gauge
  readonly #waits: Histogram
  readonly #registry: Registry

  constructor(registry: Registry) {
    this.#registry = registry
    const registers = [registry]
    this.#seconds = new Histogram({
      name: 'sandglass_picture_encode_seconds',
      help: 'How long pictures took to encode, by format.',
      labelNames: ['format'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    })
    this.#bytes = new Counter({
      name: 'sandglass_picture_bytes_total',
      help: 'Bytes of encoded pictures, by format.',
      labelNames: ['format'],
      registers,
    })
    this.#pictures = new Counter({
      name: 'sandglass_pictures_total',
      help: 'Pictures that were stored, that were stored already (same), that failed, and that nobody needed any more when they were encoded. Those that were never encoded are not counted.',
      labelNames: ['outcome'],
      registers,
    })
    this.#waits = new Histogram({
      name: 'sandglass_picture_wait_seconds',
      help: 'How long pictures took until they were stored, from the moment at which they were to be encoded.',
      buckets: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 3, 5, 10],
      registers,
    })
    this.#pending = new Gauge({
      name: 'sandglass_pictures_under_way',
      help: 'Pictures that are being encoded or stored.',
      registers,
    })
  }

  /** Reports what is stored, and what may be. */
  watchStored(bytes: () => number, limit: number): void {
    new Gauge({
      name: 'sandglass_pictures_stored_bytes',
      help: 'What the screenshots of this node take as they are counted against its limits.',
      registers: [this.#registry],
      collect() {
        this.set(bytes())
      },
    })
    new Gauge({
      name: 'sandglass_pictures_limit_bytes',
      help: 'What the screenshots of this node may take (SANDGLASS_SCREENSHOTS_PER_NODE).',
      registers: [this.#registry],
    }).set(limit)
  }

  encoded(format: PictureFormat, { seconds, body }: Omit<EncodedPicture, 'hash'>): void {
    this.#seconds.observe({ format }, seconds)
    this.#bytes.inc({ format }, body.byteLength)
  }

  began(): void {
    this.#pending.inc()
  }

  ended(outcome: 'stored' | 'same' | 'failed' | 'unneeded', seconds: number): void {
    this.#pending.dec()
    if (outcome === 'stored' || outcome === 'same') this.#waits.observe(seconds)
    this.#pictures.inc({ outcome })
  }
}
