/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/timer.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/thread.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int make(struct papi_timer *timer, struct papi_slot *slot, const struct papi_timer_plan *plan)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = plan->signal;
	event.sigev_value.sival_ptr = slot;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, plan->clock, &event, &timer->number))
		return papi_error(PAPI_ESYS, "no timer for %s: %s%s", plan->purpose, strerror(errno),
			errno == EAGAIN ? "; the user has as many as ulimit -i allows" : "");
	timer->made = true;
	timer->clock = plan->clock;
	timer->signal = plan->signal;
	timer->thread = papi_thread_number();
	return PAPI_OK;
}

int papi_timer_make(struct papi_timer *timer, struct papi_slot *slot, const struct papi_timer_plan *plan)
{
	int status = papi_signal_claim(plan->signal, plan->claimant);

	if (status != PAPI_OK)
		return status;
	if (timer->thread != papi_thread_number() || timer->clock != plan->clock || timer->signal != plan->signal)
		papi_timer_delete(timer);
	return timer->made ? PAPI_OK : make(timer, slot, plan);
}

bool papi_timer_set(int number, long ns, bool again)
{
	struct timespec in = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	struct itimerspec time = { .it_value = in };

	if (again)
		time.it_interval = in;
	return !syscall(SYS_timer_settime, number, 0, &time, NULL);
}

void papi_timer_delete(struct papi_timer *timer)
{
	if (timer->made)
		syscall(SYS_timer_delete, timer->number);
	timer->made = false;
}

void papi_timer_forget(struct papi_timer *timer)
{
	timer->made = false;
}

struct papi_slot *papi_timer_slot(const siginfo_t *info)
{
	uintptr_t offset = (uintptr_t)info->si_value.sival_ptr - (uintptr_t)papi_handle_slots;
	bool sent = info->si_code == SI_TIMER || info->si_code == SI_QUEUE;

	return sent && offset < sizeof(papi_handle_slots) && offset % sizeof(papi_handle_slots[0]) == 0
		? info->si_value.sival_ptr
		: NULL;
}
