#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the guest runs: inside.sh check | scalable | costs
access() { echo "$1" >/proc/sys/kernel/perf_user_access; }

case $1 in
check)
	status=0
	for allowed in 0 1; do
		access $allowed
		for program in ./guest_counts ./guest_kept ./guest_multiplexed ./guest_others ./guest_sampling; do
			echo "-- ${program#./guest_}, perf_user_access $allowed"
			$program || status=1
		done
	done
	# Multiplexed counters are never read by programs.
	echo '-- hardware'
	./guest_hardware || status=1
	echo '-- process'
	./guest_process || status=1
	echo '-- attach'
	./guest_attach || status=1
	echo '-- probe'
	./probe.sh || status=1
	# The slowness of this machine makes intervals of timers longer.
	for program in guest_translated guest_virtual_behaviour guest_virtual_changes guest_virtual_filters \
		guest_virtual_interrupted guest_virtual_many_threads guest_virtual_overflow \
		'guest_virtual_modelled 4' 'guest_virtual_profile 5' 'guest_virtual_profile_calls 5' \
		'guest_virtual_profile_modelled 2 20' 'guest_virtual_generated 1000 3' 'guest_virtual_signals 5' \
		'test_vpmu_code ./libvpmu_plugin_one.so ./libvpmu_plugin_two.so 2' test_vpmu_component_0 \
		test_vpmu_events 'test_vpmu_floods 2000000 1000' test_vpmu_memory test_vpmu_one_by_one \
		'test_vpmu_reentry 10' \
		test_vpmu_shared_l3 'test_vpmu_signals 5' 'test_vpmu_torture 1 3 20' test_vpmu_tracer; do
		echo "-- ${program#*_}"
		# shellcheck disable=SC2086
		PAPI_VPMU=always ./$program || status=1
	done
	exit $status
	;;
scalable)
	# On a processor that has vectors of any length: the kernel forgets them in system calls, as an emulator of
	# programs does not.
	status=0
	for program in 'guest_virtual_generated 100 5' 'guest_virtual_profile 3' guest_virtual_scalable \
		guest_translated; do
		echo "-- ${program#guest_}"
		# shellcheck disable=SC2086
		PAPI_VPMU=always ./$program || status=1
	done
	# Return addresses are signed there, too.
	echo '-- probe'
	./probe.sh || status=1
	exit $status
	;;
costs)
	# Names found at once, so that no call pays for its first.
	export LD_BIND_NOW=1
	# Debian's libpapi refuses above 1, even to root.
	echo 1 >/proc/sys/kernel/perf_event_paranoid
	for allowed in 0 1; do
		access $allowed
		./guest_costs | sed "s/^/ours-$allowed /"
	done
	access 1
	[ ! -d peer ] || LD_LIBRARY_PATH=peer:lib ./guest_costs | sed 's/^/peer /'
	;;
esac
