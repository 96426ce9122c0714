const name = 'sandglass_http_request_seconds'
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The requests of one operation with one status: a count per bucket, the total count and the total time. */
interface Series {
  readonly operation: string
  readonly status: number
  readonly counts: number[]
  count: number
  sum: number
}

/**
 * A histogram by operation and status. It does not use prom-client, which builds a string of the labels to look them
 * up for each request.
 */
export class RequestDurations {
  readonly #series = new Map<string, Map<number, Series>>()

  observe(operation: string, status: number, seconds: number): void {
    const series = this.#series.get(operation)?.get(status) ?? this.#add(operation, status)
    series.count++
    series.sum += seconds
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++
    series.counts[at] = (series.counts[at] ?? 0) + 1
  }

  #add(operation: string, status: number): Series {
    const series = { operation, status, counts: bounds.map(() => 0), count: 0, sum: 0 }
    this.#series.set(operation, new Map(this.#series.get(operation)).set(status, series))
    return series
  }

  /** Returns the metrics in the text format of Prometheus, in which buckets are cumulative. */
  text(): string {
    const lines = [
      `# HELP ${name} How long requests took, by operation and status.`,
      `# TYPE ${name} histogram`,
    ]
    for (const { operation, status, counts, count, sum } of [...this.#series.values()].flatMap(byStatus => [
      ...byStatus.values(),
    ])) {
      const labels = `operation="${operation}",status="${status}"`
      let cumulative = 0
      for (const [at, bound] of bounds.entries()) {
        cumulative += counts[at] ?? 0
        lines.push(`${name}_bucket{le="${bound}",${labels}} ${cumulative}`)
      }
      lines.push(`${name}_bucket{le="+Inf",${labels}} ${count}`)
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`)
    }
    return `${lines.join('\n')}\n`
  }
}
