import { act } from '../act.ts'
import { command } from '../command-definition.ts'
import { UsageError } from '../failures.ts'
import { sandboxArgument } from '../sandbox-argument.ts'

const buttons = { left: 1, right: 2, middle: 4 } as const

interface Options {
  readonly button?: keyof typeof buttons
  readonly double?: boolean
  readonly tap?: boolean
}

export default command<Options>({
  name: 'click',
  summary: 'Click on the screen of a sandbox.',
  arguments: [
    sandboxArgument,
    { syntax: '<x>', description: 'From the left: pixels, or a part of the screen such as 50%.' },
    { syntax: '<y>', description: 'From the top.' },
  ],
  options: [
    { flags: '-b, --button <button>', description: 'left unless given.', choices: Object.keys(buttons) },
    { flags: '-d, --double', description: 'Click twice.' },
    { flags: '--tap', description: 'Tap on a phone instead.' },
  ],
  examples: [
    { command: 'sandglass click ID 640 360', explanation: 'In the middle of a screen of 1280x720.' },
    { command: 'sandglass click ID 50% 50% --button right', explanation: 'The menu of what is there.' },
  ],
  run(context, { args: [sandbox = '', x = '', y = ''], options: { button = 'left', double, tap } }) {
    const point = { x: lengthOf(x), y: lengthOf(y) }
    if (tap) return act(context, sandbox, [{ type: 'touch:tap', ...point }])
    return act(context, sandbox, [
      { type: double ? 'mouse:doubleClick' : 'mouse:click', ...point, button: buttons[button] },
    ])
  },
})

function lengthOf(text: string): Length {
  const [, number, unit] = /^(-?\d+(?:\.\d+)?)(px|%)?$/.exec(text) ?? []
  if (number === undefined)
    throw new UsageError(`"${text}" is not a place on a screen.`, 'Write it as 640 or 50%.')
  const value = Number(number)
  return unit === '%' ? { type: '/', numerator: value, denominator: 100 } : { type: 'px', value }
}

type Length =
  | { readonly type: 'px'; readonly value: number }
  | { readonly type: '/'; readonly numerator: number; readonly denominator: number }
