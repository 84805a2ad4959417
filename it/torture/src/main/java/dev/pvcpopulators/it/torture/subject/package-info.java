/// What is put to faults: services and Jobs, and rounds of them.
@NullMarked
package dev.pvcpopulators.it.torture.subject;

import org.jspecify.annotations.NullMarked;
