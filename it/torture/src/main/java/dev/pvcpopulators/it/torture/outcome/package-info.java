/// The outcomes of jobs, and the states of the volume after a job.
@NullMarked
package dev.pvcpopulators.it.torture.outcome;

import org.jspecify.annotations.NullMarked;
