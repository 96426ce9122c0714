import type { Action, Length } from '@sandglass/protocol'
import type { Size } from './use-screen.ts'

/** A picture of a screen with what actions would do on it. */
export function Drawing({
  picture,
  size,
  actions,
}: {
  picture: string
  size: Size | undefined
  actions: readonly Action[]
}) {
  return (
    <figure className="relative overflow-hidden rounded-md border border-line bg-black">
      <img src={picture} alt="The screen of the sandbox" className="block w-full" />
      {size && (
        <svg
          viewBox={`0 0 ${size.width} ${size.height}`}
          role="img"
          aria-label={`${actions.length} actions drawn on the screen`}
          className="absolute inset-0 size-full"
        >
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 10 10"
              refX="8"
              refY="5"
              markerWidth="5"
              markerHeight="5"
              orient="auto"
            >
              <path d="M0 0 10 5 0 10z" fill="#ff5a1f" />
            </marker>
          </defs>
          {actions.map((action, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an action is known by its place in the text.
            <Mark key={index} action={action} number={index + 1} size={size} />
          ))}
        </svg>
      )}
    </figure>
  )
}

function Mark({ action, number, size }: { action: Action; number: number; size: Size }) {
  const unit = Math.max(size.width, size.height) / 100
  if ('startX' in action) {
    const [x1, y1] = [pixels(action.startX, size.width), pixels(action.startY, size.height)]
    const [x2, y2] = [pixels(action.endX, size.width), pixels(action.endY, size.height)]
    return (
      <>
        <line {...{ x1, y1, x2, y2 }} stroke="#ff5a1f" strokeWidth={unit / 3} markerEnd="url(#arrow)" />
        <Label x={x1} y={y1} unit={unit} text={`${number} ${action.type}`} />
      </>
    )
  }
  if (!('x' in action)) return null
  const [x, y] = [pixels(action.x, size.width), pixels(action.y, size.height)]
  return (
    <>
      <circle cx={x} cy={y} r={unit} fill="none" stroke="#ff5a1f" strokeWidth={unit / 3} />
      <circle cx={x} cy={y} r={unit / 5} fill="#ff5a1f" />
      <Label x={x} y={y} unit={unit} text={`${number} ${action.type}`} />
    </>
  )
}

function Label({ x, y, unit, text }: { x: number; y: number; unit: number; text: string }) {
  return (
    <text
      x={x + unit * 1.4}
      y={y + unit * 0.6}
      fontSize={unit * 1.8}
      fill="#fff"
      stroke="#000"
      strokeWidth={unit / 4}
      paintOrder="stroke"
    >
      {text}
    </text>
  )
}

function pixels(length: Length, side: number): number {
  return length.type === 'px' ? length.value : (length.numerator / length.denominator) * side
}
