import { readFile } from 'node:fs/promises'
import { arch } from 'node:os'
import type { ShapeOffer } from '@sandglass/host'
import { ApiError, Shape } from '@sandglass/protocol'
import { z } from 'zod'
import type { Actor } from '../../auth/principal.ts'

const architecture = arch() === 'arm64' ? 'aarch64' : 'x86_64'

/**
 * A shape in the catalogue: what clients see, what its machines are made of, and how many are kept booted in the
 * pool.
 */
const CatalogueShape = Shape.extend({
  name: z
    .string()
    .max(50)
    .regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be small letters, digits, dots and hyphens'),
  hardwareAcceleratedEncoding: z.boolean().default(false),
  pricePerHour: z.number().min(0).default(1),
  requiredPlanTier: z.int().min(0).default(0),
  requiredFeatureFlag: z.string().default(''),
  architecture: Shape.shape.architecture.default(architecture),
  engine: z.string().min(1),
  image: z.string().min(1),
  cpus: z.number().positive(),
  memoryMiB: z.int().min(64),
  diskMiB: z.int().min(64),
  pids: z.int().min(32).default(2048),
  /**
   * The wall around its machines: runc, or gVisor's runsc, and SANDGLASS_RUNTIME if it is left out. In a cluster it is container, which
   * is the default, or virtual-machine.
   */
  runtime: z
    .enum(
      ['runc', 'runsc', 'container', 'virtual-machine'],
      'must be runc or runsc; in a cluster, container or virtual-machine',
    )
    .optional(),
  /** Whether programs in its machines may become root with sudo. */
  sudo: z.boolean().default(true),
  screen: z
    .object({ width: z.int().min(320), height: z.int().min(320) })
    .default({ width: 1280, height: 720 }),
  /**
   * True for the phone simulator. Its `os` can be Android, for clients that choose their actions by it, or Linux, which is
   * what runs in it.
   */
  simulatesPhone: z.boolean().default(false),
  warm: z.int().min(0).max(1000).default(0),
})
export type CatalogueShape = z.infer<typeof CatalogueShape>

const CatalogueFile = z
  .object({ shapes: z.array(CatalogueShape).min(1) })
  .superRefine(({ shapes }, context) => {
    const names = shapes.map(({ name }) => name)
    names.forEach((name, index) => {
      if (names.indexOf(name) !== index)
        context.addIssue({
          code: 'custom',
          path: ['shapes', index, 'name'],
          message: `repeats the shape ${name}`,
        })
    })
  })

const builtInFile = new URL('../../../shapes.json', import.meta.url)

/** Returns a shape as clients see it. If the operator no longer offers it, only its name is known. */
export function publicShape(shape: CatalogueShape | undefined, name: string): Shape {
  if (shape) {
    const isSimulated = shape.simulatesPhone && shape.os === 'Android'
    return { ...Shape.parse(shape), ...(isSimulated && { simulated: true }) }
  }
  return {
    name,
    description: 'No longer offered.',
    hardwareAcceleratedEncoding: false,
    pricePerHour: 1,
    requiredPlanTier: 0,
    requiredFeatureFlag: '',
    os: 'Linux',
    virtualization: 'Container',
    architecture,
    cpus: 0,
    memoryMiB: 0,
    diskMiB: 0,
  }
}

/** Returns whether the machines of this shape are used by touch. */
export function isPhone(shape: CatalogueShape | undefined): boolean {
  return shape?.os === 'Android' || shape?.simulatesPhone === true
}

/** The shapes that the operator offers. */
export class Catalogue {
  /** The shapes of the file. */
  readonly #written: readonly CatalogueShape[]
  readonly #offers = new Map<string, ShapeOffer>()
  #shapes: ReadonlyMap<string, CatalogueShape>
  /** The engines whose shapes callers see. If there are none, this process does not know. */
  readonly #shown = new Set<string>()

  constructor(shapes: readonly CatalogueShape[]) {
    this.#written = shapes
    this.#shapes = byName(shapes)
  }

  /** Reads and validates a catalogue file. Without one, the built-in catalogue is used. */
  static async load(file: string | undefined): Promise<Catalogue> {
    const text = await readFile(file ?? builtInFile, 'utf8').catch(cause => {
      throw new Error(`The shape catalogue ${file} cannot be read: ${cause.message}`, { cause })
    })
    return new Catalogue(parse(text, file ?? 'shapes.json'))
  }

  /** Adds what an engine offers by itself, in place of what it offered before. */
  offer(engine: string, offer: ShapeOffer): void {
    this.#offers.set(engine, offer)
    this.#shapes = byName(withOffers(this.#written, this.#offers))
  }

  /**
   * Lets callers see the shapes of these engines and of those that were shown before, and no others, because nobody can
   * create machines of them. A node that is stopped for a while does not hide its shapes.
   */
  showEngines(names: readonly string[]): void {
    for (const name of names) this.#shown.add(name)
  }

  /** Returns all shapes, including those that are hidden from some organizations. */
  all(): CatalogueShape[] {
    return [...this.#shapes.values()]
  }

  /** Returns undefined if the operator no longer offers the shape. */
  find(name: string): CatalogueShape | undefined {
    return this.#shapes.get(name)
  }

  /**
   * Returns the shapes that a caller may see. Shapes with a feature flag exist only for organizations that have it, and
   * those of an engine that no node uses are left out.
   */
  visibleTo(member: Actor): CatalogueShape[] {
    const isShown = ({ engine }: CatalogueShape) => this.#shown.size === 0 || this.#shown.has(engine)
    return [...this.#shapes.values()].filter(shape => isShown(shape) && isVisible(shape, member))
  }

  /** Returns the shape, or throws if this caller may not use it. */
  require(name: string, member: Actor): CatalogueShape {
    const shape = this.#shapes.get(name)
    if (!shape || !isVisible(shape, member)) {
      const names = this.visibleTo(member).map(visible => visible.name)
      throw new ApiError('shape.NOT_FOUND', {
        message: `There is no shape ${JSON.stringify(name)}; the available shapes are ${names.join(', ')}.`,
      })
    }
    if (shape.requiredPlanTier > member.organization.planTier)
      throw new ApiError('shape.PLAN_TOO_LOW', {
        message: `${name} requires a plan of tier ${shape.requiredPlanTier}; the organization's plan has tier ${member.organization.planTier}.`,
      })
    return shape
  }
}

function byName(shapes: readonly CatalogueShape[]): ReadonlyMap<string, CatalogueShape> {
  return new Map(shapes.map(shape => [shape.name, shape]))
}

/** The shapes of the file come first, because an operator has written about their images and names on purpose. */
function withOffers(
  written: readonly CatalogueShape[],
  offers: ReadonlyMap<string, ShapeOffer>,
): CatalogueShape[] {
  const all = written.map(shape => {
    const note = offers.get(shape.engine)?.note
    return note === undefined ? shape : { ...shape, description: `${shape.description} ${note}` }
  })
  for (const [engine, { shapes }] of offers)
    for (const offered of shapes) {
      const isNamed = all.some(
        ({ name, image, engine: other }) =>
          name === offered.name || (image === offered.image && other === engine),
      )
      const result = CatalogueShape.safeParse({ ...offered, engine })
      if (!isNamed && result.success) all.push(result.data)
    }
  return all
}

function isVisible(shape: CatalogueShape, member: Actor): boolean {
  if (member.kind === 'trialToken' && !member.shapeNames.includes(shape.name)) return false
  return (
    shape.requiredFeatureFlag === '' || member.organization.featureFlags.includes(shape.requiredFeatureFlag)
  )
}

function parse(text: string, file: string): CatalogueShape[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new Error(`The shape catalogue ${file} is not JSON.`, { cause })
  }
  const result = CatalogueFile.safeParse(json)
  if (result.success) return result.data.shapes
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(`The shape catalogue ${file} is not valid: ${problems.join('; ')}.`)
}
