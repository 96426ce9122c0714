export type { Abortable } from './abortable.ts'
export type { MachineActivity } from './activity.ts'
export type { Check } from './check.ts'
export { closedIpv4 } from './closed-networks.ts'
export type { CreateOptions } from './create-options.ts'
export {
  type BrowserChoices,
  type BrowserEndpoint,
  browserExitCodes,
  type DrivenBrowser,
} from './driven-browser.ts'
export type {
  BaseImageBuild,
  Capabilities,
  Capacity,
  DiskSpace,
  Engine,
  EngineHealth,
  EngineScope,
  ListedMachine,
  MachineState,
  MachineStatus,
} from './engine.ts'
export type { EngineImage, EngineImages } from './engine-images.ts'
export { MachineError, type MachineErrorCode } from './errors.ts'
export type { MachineFigures } from './figures.ts'
export type {
  FileChange,
  FileInfo,
  FileKind,
  FileOptions,
  FileRange,
  Files,
  FolderPage,
  ListOptions,
  MoveOptions,
  OpenFile,
  RemoveOptions,
  SmallFile,
  WatchOptions,
  WriteOptions,
} from './files.ts'
export { maxSmallFile } from './files.ts'
export {
  type CommandLine,
  type FileInstallTool,
  type GuestOs,
  type GuestProfile,
  type GuestShell,
  type NameInstallTool,
  noBrowserExitCode,
  type PackageTool,
  type PathStyle,
  type RootArchive,
} from './guest-profile.ts'
export type { Json, MachineHandle } from './handle.ts'
export { type ComponentRestart, type MachineHealth, type MachineProblem, wholeMachine } from './health.ts'
export type { Input, MouseButton, TypeOptions } from './input.ts'
export type { Death, Endpoint, Machine } from './machine.ts'
export type { EngineMember, MachinePlace, MemberStatus } from './members.ts'
export type { MemoryTemplate, MemoryTemplates, TemplateSpec } from './memory-templates.ts'
export { type PackageFile, type PackageRequest, type PackageSource, PackagesError } from './packages.ts'
export type { App, Phone, PhoneOptions, Stroke } from './phone.ts'
export type { ExecSpec, MachineProcess, ProcessExit, TerminalSize } from './process.ts'
export type { MachineReach } from './reach.ts'
export type { Point, Rect } from './rect.ts'
export type {
  Clipboard,
  CursorImage,
  Damage,
  Frame,
  Glimpse,
  Look,
  Rest,
  Sample,
  Screen,
  SettleOptions,
  Watcher,
} from './screen.ts'
export type { ListedSnapshot, SnapshotHandle, SnapshotSpec, Snapshots, TakenSnapshot } from './snapshots.ts'
export {
  defaultScreen,
  type Egress,
  type EgressRule,
  type MachineOwner,
  type MachineSpec,
  type ScreenSize,
} from './spec.ts'
export type { KeptDescription, KeptKind, KeptReader, KeptSpec, Transfer } from './transfer.ts'
export type { UiAction, UiElement, UiState, UiTree } from './ui-tree.ts'
export type { ListedVolume, VolumeHandle, VolumeMount, VolumeSpec, Volumes } from './volumes.ts'
