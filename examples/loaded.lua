-- A model for tico -m: hosts behind one switch, which sends on what comes, one
-- message after the other. See doc/models.md.

-- how long an empty message takes, and what each byte adds, in nanoseconds
local latency = { self = 100, shm = 400, net = 5000 }
local rate = { self = 0.02, shm = 0.1, net = 0.8 }

-- bytes: the message's; load: those that were sent before it and are not yet
-- received; distance: "self", "shm" or "net"; protocol: "eager", or
-- "rendezvous" for one that waits for its receive
function transit(bytes, load, distance, protocol)
	local ns = latency[distance] + rate[distance] * bytes
	if protocol == "rendezvous" then
		-- first the receiver has to say that it is ready
		ns = ns + 2 * latency[distance]
	end
	if distance == "net" then
		-- what is ahead in the switch goes first
		ns = ns + rate.net * load
	end
	return ns
end
