import { median, p95 } from './row.ts'
import { withService } from './service.ts'
import { timed } from './timed.ts'

const px = (value: number) => ({ type: 'px', value })
await withService(
  {
    shapes: [{ image: 'minimal', cpus: 2 }],
    env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=/tmp/scratch/prof`, ...(process.argv[2] ? {} : {}) },
  },
  async service => {
    const s = await service.create()
    for (const more of [
      { includeScreenShot: false, includeCursorPosition: false },
      { settle: 'none', screenShotFormat: 'jpeg' },
    ]) {
      const times: number[] = []
      for (let i = 0; i < 400; i++)
        times.push(
          await timed(() =>
            s.call('POST', '/actions/execute', {
              action: {
                type: 'mouse:click',
                x: px(100 + ((i * 37) % 900)),
                y: px(100 + ((i * 23) % 500)),
                button: 1,
              },
              ...more,
            }),
          ),
        )
      console.log(JSON.stringify(more), median(times), p95(times), Math.min(...times))
    }
  },
)
