import { isAbsolute, join } from 'node:path/posix'
import { ApiError, BuildStep } from '@sandglass/protocol'
import { copyScript, quoted } from './copy-script.ts'
import type { TemplateStep } from './template-build.ts'

/** A step as our image builds carry it out. */
export type DoorStep =
  | BuildStep
  | {
      readonly command: {
        readonly executable: string
        readonly args: readonly string[]
        readonly user?: string
        readonly workingDirectory?: string
        readonly env?: Readonly<Record<string, string>>
      }
    }
  | { readonly archive: { readonly hash: string; readonly script: string } }

/** The user that templates of clients have until they choose another one. */
const defaultUser = 'user'
const userName = /^[a-z_][\w.-]*$/i
const ownerName = /^[a-z_][\w.-]*(:[a-z_][\w.-]*)?$/i

/** What `aptInstall` of the client becomes. Our own step needs no network in the machine. */
const aptInstall =
  /^apt-get update && DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes apt-get install -y (?:--no-install-recommends )?(?:--fix-missing )?([a-z0-9][\w+. -]*)$/

/** Clients expect a Python whose packages pip may change, as in E2B's images. Debian's pip refuses that by default. */
const pipInstall = /^pip3? install /

/** Translates the steps of a template, each to one of ours. `archivePath` is where our builds put an uploaded archive. */
export function stepsOf(steps: readonly TemplateStep[], archivePath: string): DoorStep[] {
  const translation = new Translation(archivePath)
  return steps.map((step, at) => {
    try {
      return translation.translate(step)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw new ApiError('request.INVALID', { message: `Step ${at + 1}: ${error.message}` })
    }
  })
}

class Translation {
  readonly #archivePath: string
  #user = defaultUser
  #folder = `/home/${defaultUser}`

  constructor(archivePath: string) {
    this.#archivePath = archivePath
  }

  translate({ type, args, filesHash }: TemplateStep): DoorStep {
    switch (type) {
      case 'RUN':
        return this.#run(args)
      case 'ENV':
        return parsed({ env: variablesIn(args) })
      case 'USER':
        return this.#setUser(args)
      case 'WORKDIR':
        return this.#setFolder(args)
      case 'COPY':
        return this.#copy(args, filesHash)
      default:
        throw invalid(`${JSON.stringify(type)} is not supported.`)
    }
  }

  #run([command = '', asked]: readonly string[]): DoorStep {
    if (command === '') throw invalid('There is no command.')
    const user = asked || this.#user
    if (!userName.test(user)) throw invalid('The name of the user is not valid.')
    const [, packages] = aptInstall.exec(command) ?? []
    if (packages !== undefined && user === 'root') {
      const names = packages.split(' ').filter(name => name !== '')
      const { success, data } = BuildStep.safeParse({ apt: names })
      if (success) return data
    }
    return {
      command: {
        executable: '/bin/bash',
        args: ['-c', command],
        user,
        workingDirectory: this.#folder,
        ...(pipInstall.test(command) && { env: { PIP_BREAK_SYSTEM_PACKAGES: '1' } }),
      },
    }
  }

  #setUser([user = '']: readonly string[]): DoorStep {
    if (!userName.test(user)) throw invalid('The name of the user is not valid.')
    this.#user = user
    return parsed({ run: `id ${quoted(user)} >/dev/null` })
  }

  #setFolder([asked = '']: readonly string[]): DoorStep {
    if (asked === '') throw invalid('The path is empty.')
    this.#folder = this.#resolve(asked)
    const owner = quoted(this.#user)
    const folder = quoted(this.#folder)
    return parsed({
      run: `[ -d ${folder} ] || install -d -o ${owner} -g "$(id -gn ${owner})" ${folder}`,
    })
  }

  #copy([source = '', target = '', owner, mode = '']: readonly string[], hash?: string): DoorStep {
    if (hash === undefined) throw invalid('The hash of the files is missing.')
    if (source === '' || target === '') throw invalid('The source or the target is missing.')
    const user = owner || this.#user
    if (!ownerName.test(user)) throw invalid('The owner is not valid.')
    if (!/^[0-7]{0,4}$/.test(mode)) throw invalid('The mode is not valid.')
    const folder = target.endsWith('/') ? `${this.#resolve(target)}/` : this.#resolve(target)
    const script = copyScript({ archivePath: this.#archivePath, source, target: folder, owner: user, mode })
    return { archive: { hash, script } }
  }

  #resolve(path: string): string {
    const resolved = isAbsolute(path) ? join(path) : join(this.#folder, path)
    return resolved.length > 1 && resolved.endsWith('/') ? resolved.slice(0, -1) : resolved
  }
}

function variablesIn(args: readonly string[]): Record<string, string> {
  if (args.length === 0 || args.length % 2 !== 0) throw invalid('A variable has no value.')
  return Object.fromEntries(
    Array.from({ length: args.length / 2 }, (_, at) => [args[2 * at] ?? '', args[2 * at + 1] ?? '']),
  )
}

function parsed(step: unknown): BuildStep {
  const { success, data, error } = BuildStep.safeParse(step)
  if (!success) throw invalid(error.issues.map(({ message }) => message).join('; '))
  return data
}

function invalid(message: string): ApiError {
  return new ApiError('request.INVALID', { message })
}
