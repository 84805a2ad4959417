package dev.pvcpopulators.diskimage.pipeline;
import dev.pvcpopulators.diskimage.qcow2.ClusterInflater;
final class DeflatedCluster implements ClusterInflater {
  private final java.util.zip.Inflater inflater=new java.util.zip.Inflater(true);
  public int inflate(byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength) throws java.util.zip.DataFormatException {
   inflater.reset(); inflater.setInput(source, offset, length); int n=0; while(n<targetLength){int k=inflater.inflate(target,targetOffset+n,targetLength-n); if(k<=0) throw new java.util.zip.DataFormatException("short"); n+=k;} return (int)inflater.getBytesRead(); }
  public void close() { inflater.end(); }
}
