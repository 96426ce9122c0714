import { frame } from './screens/frame.ts'
import { World } from './support/world.ts'

/** Every screen is in a file of its own; they share one service with a machine. */
const world = await World.start()

frame(world)
