import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { PictureFormat } from './format.ts'
import type { Encoded } from './worker.ts'

/** What Prometheus reads of pictures. */
export class PictureMetrics {
  readonly #seconds: Histogram<'format'>
  readonly #bytes: Counter<'format'>
  readonly #pictures: Counter<'outcome'>
  readonly #waiting: Gauge

  constructor(registry: Registry) {
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
      help: 'Pictures that were stored, that were stored already (same), and that failed.',
      labelNames: ['outcome'],
      registers,
    })
    this.#waiting = new Gauge({
      name: 'sandglass_pictures_under_way',
      help: 'Pictures that were taken and are not stored yet.',
      registers,
    })
  }

  encoded(format: PictureFormat, { seconds, body }: Encoded): void {
    this.#seconds.observe({ format }, seconds)
    this.#bytes.inc({ format }, body.byteLength)
  }

  began(): void {
    this.#waiting.inc()
  }

  ended(outcome: 'stored' | 'same' | 'failed'): void {
    this.#waiting.dec()
    this.#pictures.inc({ outcome })
  }
}
