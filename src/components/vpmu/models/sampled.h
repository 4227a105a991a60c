/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sampled models: L1D, L2 and L3, of which a choice of sets is simulated (choice.h), as exactly as in the full
 * models; L1I, TLBs and the predictor whole. Lines that are not chosen cost a look at the address alone.
 *
 *	address -- settle -- the page's stamp -- newest of its class, or of no chosen class? -- yes -- done
 *	                        | none                 | no
 *	                     enter_page(): frames,  touch_chosen(): the caches of the full models, in the sets that
 *	                     TLBs                   are chosen
 *
 *	block -- stamps of its page and its lines of L1I: are there all? -- yes -- its accesses, as above
 *	                        | no
 *	                     run_in_order(): each line is fetched behind the accesses of the instructions before it
 *
 * Pages get their numbers when they are first touched, whatever lines of them are chosen: so they are those of the full
 * models, and a chosen set misses what it misses there.
 *
 * A counter that is sampled grows by what one miss stands for, so that it is an estimate of what the full models count.
 * The lanes behind it hold how much of it each group of lines but the first had: from how they differ comes the
 * interval (estimates.h). Counters of which nothing is sampled have nothing there.
 */
#ifndef PAPI_VPMU_MODELS_SAMPLED_H
#define PAPI_VPMU_MODELS_SAMPLED_H

#include "components/vpmu/models/models.h"
#include "components/vpmu/models/stamped.h"

/* What the lines of data have in the chosen classes. */
struct papi_vpmu_lately {
	uint64_t newest[PAPI_VPMU_CLASSES_MAX]; /* line of each class: again, it changes nothing */
	uint64_t care[PAPI_VPMU_CLASSES_MAX];   /* all bits for a chosen class, none for others */
};

struct papi_vpmu_sampled {
	struct papi_vpmu_choice choice;
	uint64_t chosen; /* a bit for each class */
	struct papi_vpmu_lately data;
	uint64_t now; /* of the stamps: each access and each fetch is later than those before it */
	struct papi_vpmu_stamped dtlb, itlb;
	struct papi_vpmu_stamped l1i; /* its lines are known by their numbers, as pages are in the others */
	size_t size;
};

/* Of models of that geometry, which has a choice. NULL when memory ends. */
struct papi_vpmu_sampled *papi_vpmu_sampled_make(const struct papi_vpmu_geometry *geometry, papi_vpmu_memory *memory);
void papi_vpmu_sampled_end(struct papi_vpmu_sampled *sampled, papi_vpmu_memory *memory);

/* What papi_vpmu_simulate() does with models that are sampled. Of counters there are GROUPS_MAX lanes. */
void papi_vpmu_sampled_run(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena);

#endif
