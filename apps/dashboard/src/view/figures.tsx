import type { LiveState, LiveStatistics } from '@sandglass/live'

const transports = { websocket: 'WebSocket', webtransport: 'WebTransport' } as const

/** The transport and the quality of the connection. */
export function Figures({ state, statistics }: { state: LiveState; statistics: LiveStatistics | undefined }) {
  const rows = {
    Transport: state.kind === 'live' ? transports[state.transport] : '–',
    Latency: statistics?.latencyMs === undefined ? '–' : `${statistics.latencyMs.toFixed(1)} ms`,
    Rate: statistics ? rate(statistics.bytesPerSecond) : '–',
    Frames: statistics ? `${Math.round(statistics.framesPerSecond)} /s` : '–',
  }
  return (
    <dl className="figures">
      {Object.entries(rows).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function rate(bytesPerSecond: number): string {
  const kilobits = (bytesPerSecond * 8) / 1000
  return kilobits < 1000 ? `${Math.round(kilobits)} kbit/s` : `${(kilobits / 1000).toFixed(1)} Mbit/s`
}
