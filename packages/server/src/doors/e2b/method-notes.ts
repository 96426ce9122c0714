/** What users should know about a method besides that it works or is refused, which the tests find out. */
export interface MethodNote {
  readonly text: string
  /** It works, but does not do all that it does with E2B. */
  readonly partly?: true
}

const note = (text: string): MethodNote => ({ text })
const partly = (text: string): MethodNote => ({ text, partly: true })

const timeout = note('up to 24 hours per call, and 13 days in all')
const snapshot = note('a snapshot is a machine image, and a template at the same time')
const metrics = note('one measurement, of now. The use of the processors is the average since the create')
const pause = note('`keepMemory: false` hibernates. A paused sandbox is kept for `SANDGLASS_PAUSED_HOURS`')
const network = note('409: the network is chosen when a sandbox is created')
const registry = note('images of registries are not fetched')
const volume = note('use [volumes](volumes.md)')
const secret = note('use environment variables')
const tags = note('a tag is a part of the name of an image')
const notStarted = note('a template is a disk, on which no program runs')
const url = note('see [below](#signed-urls)')

/** The notes of docs/e2b.md, by the names of methods there. */
export const methodNotes: Readonly<Record<string, MethodNote>> = {
  'Sandbox.create': partly('see [below](#creating-sandboxes)'),
  'Sandbox.setTimeout': timeout,
  'sandbox.setTimeout': timeout,
  'Sandbox.getMetrics': metrics,
  'sandbox.getMetrics': metrics,
  'Sandbox.pause': pause,
  'sandbox.pause': pause,
  'Sandbox.betaPause': note('the same as `pause`'),
  'sandbox.betaPause': note('the same as `pause`'),
  'Sandbox.createSnapshot': snapshot,
  'sandbox.createSnapshot': snapshot,
  'Sandbox.updateNetwork': network,
  'sandbox.updateNetwork': network,
  'sandbox.uploadUrl': url,
  'sandbox.downloadUrl': url,
  'sandbox.getHost': note('HTTP and WebSocket. Every request needs a token, see [below](#ports)'),
  'sandbox.getMcpUrl': partly('only the address: no server is made there, see [MCP servers](mcp.md)'),
  'sandbox.getMcpToken': note('the `mcp` of `create` is refused with 400'),
  'Template.build': partly('see [below](#building-templates)'),
  'Template.buildInBackground': partly('see [below](#building-templates)'),
  'Template.getBuildStatus': note('the log is kept for 15 minutes after the end, and ends with the service'),
  'Template.assignTags': tags,
  'Template.removeTags': tags,
  'template.fromDebianImage': registry,
  'template.fromUbuntuImage': registry,
  'template.fromFedoraImage': registry,
  'template.fromAlpineImage': registry,
  'template.fromArchImage': registry,
  'template.fromPythonImage': registry,
  'template.fromNodeImage': registry,
  'template.fromBunImage': registry,
  'template.fromAWSRegistry': registry,
  'template.fromGCPRegistry': registry,
  'template.fromImage': partly('names of shapes and images of this service, and `e2bdev/base`'),
  'template.fromDockerfile': partly('its `FROM` is as in `fromImage`'),
  'template.copy': note('up to 64 MiB at a time, and 256 MiB per hour'),
  'template.copyItems': note('as `copy`'),
  'template.setUser': partly('for the steps that follow, not for sandboxes'),
  'template.setWorkdir': partly('for the steps that follow, not for sandboxes'),
  'template.aptInstall': note('the service fetches the packages, with what they recommend'),
  'template.pipInstall': note('runs `pip`, which the template must have'),
  'template.npmInstall': note('runs `npm`, which the template must have'),
  'template.bunInstall': note('runs `bun`, which the template must have'),
  'template.gitClone': note('runs `git`, which the template must have'),
  'template.addMcpServer': note('there is no template `mcp-gateway`'),
  'template.betaDevContainerPrebuild': note('there is no template `devcontainer`'),
  'template.betaSetDevContainerStart': note('there is no template `devcontainer`'),
  'template.setStartCmd': notStarted,
  'template.setReadyCmd': notStarted,
  'Volume.create': volume,
  'Secret.create': secret,
  'Secret.iamToken': note('only makes an object; `iam` of `Sandbox.create` is refused'),
  'Secret.fill': note('only makes a text, which nothing here replaces'),
  'sandbox.commands.run': note(
    'a command goes on when its client disconnects. After a restart of the service it still runs, but is no longer listed. At most 64 run at a time',
  ),
  'sandbox.files.write': partly(
    '`metadata` is refused by the client, because the door has the interface of the daemon 0.6.1',
  ),
  'sandbox.files.writeFiles': note('the same as `write` with a list'),
  'sandbox.files.watchDir': partly(
    'a rename is reported as `remove` and `create`, and `chmod` is not reported. `includeEntry` is refused by the client',
  ),
}
