import { readFile } from 'node:fs/promises'
import { ApiError, Application } from '@sandglass/protocol'
import { z } from 'zod'

const CatalogueApplication = Application.extend({
  id: z
    .string()
    .max(50)
    .regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be small letters, digits, dots and hyphens'),
  /** The names of Debian packages. Their dependencies are installed too. */
  packages: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'must be the name of a Debian package'))
    .min(1),
})
export type CatalogueApplication = z.infer<typeof CatalogueApplication>

const CatalogueFile = z.object({ applications: z.array(CatalogueApplication) })
const defaultFile = new URL('../../../applications.json', import.meta.url)

/** The applications that the operator offers. */
export class ApplicationCatalogue {
  readonly #applications: ReadonlyMap<string, CatalogueApplication>

  constructor(applications: readonly CatalogueApplication[]) {
    this.#applications = new Map(applications.map(application => [application.id, application]))
  }

  /** Reads and validates a catalogue file. Without one it loads the catalogue that is part of the service. */
  static async load(file: string | undefined): Promise<ApplicationCatalogue> {
    const problem = (cause: unknown) =>
      new Error(`The application catalogue ${file} cannot be used: ${cause}`, { cause })
    try {
      const json: unknown = JSON.parse(await readFile(file ?? defaultFile, 'utf8'))
      const { data, error } = CatalogueFile.safeParse(json)
      if (!data) throw new Error(z.prettifyError(error))
      return new ApplicationCatalogue(data.applications)
    } catch (cause) {
      throw problem(cause)
    }
  }

  all(): CatalogueApplication[] {
    return [...this.#applications.values()]
  }

  require(id: string): CatalogueApplication {
    const application = this.#applications.get(id)
    if (application) return application
    const known = [...this.#applications.keys()].join(', ')
    throw new ApiError('application.NOT_FOUND', {
      message: `There is no application ${JSON.stringify(id)}; the available applications are ${known}.`,
    })
  }
}
