/// The services and Jobs under torture, and the rounds that run them.
@NullMarked
package dev.pvcpopulators.it.torture.subject;

import org.jspecify.annotations.NullMarked;
