import { create } from './screens/create.ts'
import { credentials } from './screens/credentials.ts'
import { frame } from './screens/frame.ts'
import { operator } from './screens/operator.ts'
import { resources } from './screens/resources.ts'
import { restart } from './screens/restart.ts'
import { sandboxDetails } from './screens/sandbox-details.ts'
import { sandboxFiles } from './screens/sandbox-files.ts'
import { sandboxHeader } from './screens/sandbox-header.ts'
import { sandboxLive } from './screens/sandbox-live.ts'
import { sandboxPorts } from './screens/sandbox-ports.ts'
import { sandboxSharing } from './screens/sandbox-sharing.ts'
import { sandboxTerminal } from './screens/sandbox-terminal.ts'
import { sandboxes } from './screens/sandboxes.ts'
import { World } from './support/world.ts'

/** Every screen is in a file of its own; they share one service with a machine. */
const world = await World.start()

frame(world)
sandboxes(world)
create(world)
credentials(world)
resources(world)
operator(world)
sandboxTerminal(world)
sandboxFiles(world)
sandboxPorts(world)
sandboxLive(world)
sandboxSharing(world)
sandboxHeader(world)
sandboxDetails(world)
restart(world)
