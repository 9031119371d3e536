#!/usr/bin/env bash
# Run `tersely batch` on several machines: start Ray on each, do the job, and stop Ray again.
#
#   examples/cluster/run.sh "node1 node2 node3" s3://bucket/news s3://bucket/summaries --max-chars 400
#
# Every machine needs ssh without a password and the same versions of Python and 'tersely[ray]', installed in the same
# folder (BIN). The input and the output are in an object store, or in a folder that all machines share. The first machine
# is the head. To try it on this machine alone: run.sh "localhost localhost" INPUT OUTPUT --max-chars 400
set -euo pipefail

read -ra machines <<< "${1:?name the machines, then the arguments of 'tersely batch'}"
shift
BIN=${BIN:-$(dirname "$(command -v tersely)")}
PORT=${PORT:-6379}
CPUS=${CPUS:-} # cores to use on each machine; all of them if empty

# Nobody can join the cluster without this token. It is made for this run and sent through the standard input of ssh, so
# that it shows up in no list of processes.
token=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
sessions=()

# Run a command on a machine; call it in a subshell, which it replaces. With LIVE, the command ends when its ssh does.
on() {
    local shell=(bash -c)
    if [ "$1" != localhost ]; then shell=(ssh ${LIVE:+-tt} "$1"); fi
    exec "${shell[@]}" "read -r RAY_AUTH_TOKEN; export RAY_AUTH_TOKEN RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
        exec $(printf '%q ' "${@:2}") < /dev/null" <<< "$token"
}

start() {
    (LIVE=1 on "$1" "$BIN/ray" start --block ${CPUS:+--num-cpus=$CPUS} "${@:2}") > /dev/null 2>&1 &
    sessions+=($!)
}

finish() {
    kill "${sessions[@]}" 2> /dev/null || true
    wait "${sessions[@]}" 2> /dev/null || true
}
trap finish EXIT

head=${machines[0]}
address=127.0.0.1:$PORT
if [ "$head" != localhost ]; then address=$(ssh "$head" hostname -I | cut -d' ' -f1):$PORT; fi
start "$head" --head --port="$PORT" --node-ip-address="${address%:*}" --include-dashboard=false
until (on "$head" "$BIN/ray" health-check --address "$address") > /dev/null 2>&1; do sleep 1; done
for machine in "${machines[@]:1}"; do
    start "$machine" --address="$address"
done
wait_for_all='
import ray, sys, time
ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
while sum(node["Alive"] for node in ray.nodes()) < int(sys.argv[2]):
    time.sleep(1)
'
(on "$head" "$BIN/python" -c "$wait_for_all" "$address" "${#machines[@]}")
(on "$head" "$BIN/tersely" batch "$@" --engine ray --address "$address")
