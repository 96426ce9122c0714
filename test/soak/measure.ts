import { databaseFigures } from './figures/database.ts'
import { diskFigures } from './figures/disk.ts'
import type { Figures } from './figures/figure.ts'
import { kernelFigures } from './figures/kernel.ts'
import { metricFigures } from './figures/metrics.ts'
import { processFigures } from './figures/processes.ts'
import type { SoakedService } from './soaked-service.ts'

/** Measures everything once, from outside: the kernel, the database, the disk and the metrics. */
export async function measure(service: SoakedService): Promise<Figures> {
  // The garbage is collected first, so that the memory is that which is in use.
  const metrics = await metricFigures(service)
  const rest = await Promise.all(
    [processFigures, kernelFigures, databaseFigures, diskFigures].map(figuresOf => figuresOf(service)),
  )
  return new Map([...metrics, ...rest.flat()])
}
