package dev.pvcpopulators.imagetoqcow2layers.layer;

/// What a layer's tar had in it.
///
/// @param entries that were applied, whiteouts not among them
/// @param whiteouts names and directories' contents that were removed
/// @param ignored entries whose name begins with `.wh..wh.`: AUFS kept its own files so
/// @param droppedAttributes extended attributes that no ext4 can hold: names out of its namespaces,
///   `user.` of what is neither file nor directory, access control lists written as text. Those who
///   unpack images drop them as well
public record LayerReport(long entries, long whiteouts, long ignored, long droppedAttributes) {}
