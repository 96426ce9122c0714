/** The part of the OCI runtime specification (1.0.2) that is used here. */
export interface OciMount {
  readonly destination: string
  readonly type: string
  readonly source: string
  readonly options: readonly string[]
}

export interface OciSyscallArg {
  readonly index: number
  /** With `SCMP_CMP_MASKED_EQ`, the bits of the argument that are compared, with `valueTwo`. */
  readonly value: number
  readonly valueTwo?: number
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_LT' | 'SCMP_CMP_MASKED_EQ'
}

export interface OciSyscallRule {
  readonly names: readonly string[]
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  readonly errnoRet?: number
  readonly args?: readonly OciSyscallArg[]
}

export interface OciSeccomp {
  readonly defaultAction: 'SCMP_ACT_ERRNO'
  readonly defaultErrnoRet: number
  readonly architectures: readonly string[]
  readonly syscalls: readonly OciSyscallRule[]
}

export interface OciResources {
  readonly devices: readonly {
    readonly allow: boolean
    readonly access: string
    readonly type?: 'c'
    readonly major?: number
    readonly minor?: number
  }[]
  readonly memory: { readonly limit: number; readonly swap?: number }
  readonly cpu: { readonly shares: number; readonly cpus?: string }
  readonly pids: { readonly limit: number }
}

export interface OciIdMapping {
  readonly containerID: number
  readonly hostID: number
  readonly size: number
}

type CapabilitySet = 'bounding' | 'effective' | 'permitted'

export interface OciConfig {
  readonly ociVersion: string
  readonly hostname: string
  readonly root: { readonly path: string; readonly readonly: boolean }
  readonly process: {
    readonly terminal: boolean
    readonly user: { readonly uid: number; readonly gid: number }
    readonly cwd: string
    readonly args: readonly string[]
    readonly env: readonly string[]
    readonly noNewPrivileges: boolean
    readonly apparmorProfile?: string
    readonly oomScoreAdj: number
    readonly rlimits?: readonly { readonly type: string; readonly soft: number; readonly hard: number }[]
    readonly capabilities: Readonly<Record<CapabilitySet, readonly string[]>>
  }
  readonly mounts: readonly OciMount[]
  readonly linux: {
    /** With a path, an existing namespace is joined. */
    readonly namespaces: readonly { readonly type: string; readonly path?: string }[]
    readonly uidMappings: readonly OciIdMapping[]
    readonly gidMappings: readonly OciIdMapping[]
    readonly sysctl: Readonly<Record<string, string>>
    readonly cgroupsPath: string
    readonly resources: OciResources
    readonly seccomp: OciSeccomp
    readonly maskedPaths: readonly string[]
    readonly readonlyPaths: readonly string[]
  }
}
