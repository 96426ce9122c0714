import { setImmediate } from 'node:timers/promises'
import { UiElement } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Machine } from '../../contract/machine.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { queryAtSpi } from './query-atspi.ts'

/** Returns the UI elements that the programs of a desktop expose. */
export async function readElements(exec: Machine['exec']): Promise<UiTree> {
  return parseElements(await queryAtSpi(exec, ''))
}

/** The script cuts names and texts, so no element is longer. */
const maxLineLength = 256 * 1024

/** No screen that a person can use has more. */
const maxElements = 5000

/** So many elements take about a millisecond to validate; other work of this process gets its turn in between. */
const elementsPerTurn = 100

/**
 * Validates the output strictly, because it comes from inside the machine: one element per line, so that nothing beyond
 * the first malformed line is parsed.
 */
export async function parseElements(printed: string): Promise<UiTree> {
  const elements: UiElement[] = []
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf('\n', at)
    if (end === -1 || elements.length === maxElements) throw malformed()
    elements.push(parseElement(printed.slice(at, end)))
    if (elements.length % elementsPerTurn === 0) await setImmediate()
    at = end + 1
  }
  return elements
}

function parseElement(line: string): UiElement {
  if (line.length > maxLineLength) throw malformed()
  try {
    return UiElement.parse(JSON.parse(line))
  } catch (cause) {
    throw malformed(cause)
  }
}

function malformed(cause?: unknown): MachineError {
  return new MachineError('MACHINE_FAILED', 'The list of UI elements from the machine is malformed.', {
    cause,
  })
}
